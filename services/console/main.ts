import { runService } from '../../shared/runtime/run-service.ts';
import { startConsole } from './start.ts';

await runService({ name: 'console', forgeToken: null, start: startConsole });
