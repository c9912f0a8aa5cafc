import { runService } from '../../shared/runtime/run-service.ts';
import { startReviewer } from './start.ts';

await runService({ name: 'reviewer', forgeToken: null, start: startReviewer });
