import { runService } from '../../shared/runtime/run-service.ts';
import { startPoster } from './start.ts';

await runService({ name: 'poster', forgeToken: 'post_token', start: startPoster });
