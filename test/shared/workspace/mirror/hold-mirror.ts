/** A process that opens a mirror, says so, and uses it until it is told to stop or is killed. */
import { createMirror } from '../../../../shared/workspace/mirror/mirror.ts';

const [dataFolder = '', projectId = ''] = process.argv.slice(2);

const mirror = await createMirror(
  { dataFolder, gitPath: '/usr/bin/git', forge: 'home', projectId: Number(projectId), allowProtocols: [] },
  new AbortController().signal,
);
process.once('message', () => void mirror.release().then(() => process.disconnect()));
process.send?.('open');
