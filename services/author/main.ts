import { runService } from '../../shared/runtime/run-service.ts';
import { startAuthor } from './start.ts';

await runService({ name: 'author', forgeToken: 'read_token', start: startAuthor });
