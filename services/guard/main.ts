import { runService } from '../../shared/runtime/run-service.ts';
import { startGuard } from './start.ts';

await runService({ name: 'guard', forgeToken: 'read_token', start: startGuard });
