import { runService } from '../../shared/run-service.ts';
import { startPoster } from './start.ts';

await runService({ name: 'poster', forgeToken: 'post_token', start: startPoster });
