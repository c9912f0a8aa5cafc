import { runService } from '../../shared/runtime/run-service.ts';
import { startExplorer } from './start.ts';

await runService({ name: 'explorer', forgeToken: null, start: startExplorer });
