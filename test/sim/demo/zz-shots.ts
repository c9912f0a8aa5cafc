import { mkdirSync, writeFileSync } from 'node:fs';
import { playStory } from './story.ts';
import { findChromium, takePicture } from './take-picture.ts';
import { startDemoWorld } from './world.ts';
import { parseForgeName } from './start-forge.ts';
const [name = 'forgejo-15', runner = 'agent'] = process.argv.slice(2);
const forge = parseForgeName(name);
if (forge === null) throw new Error('no forge');
mkdirSync('/tmp/shots', { recursive: true });
const world = await startDemoWorld({ tell: console.log, forge, runner: runner as 'agent' });
const browser = findChromium(process.env['PATH'] ?? '') ?? '';
try {
  await playStory(world, console.log, async (round, { number, url }) => {
    const html = await (await fetch(url)).text();
    writeFileSync(`/tmp/shots/${name}-${runner}-${round}.html`, html);
    writeFileSync(`/tmp/shots/${name}-${runner}-${round}.md`, world.forge.look(number).comments.join('\n=====\n') + '\n#####\n' + world.forge.look(number).inline.map(({ body }) => body).join('\n-----\n'));
    for (const scheme of ['light', 'dark'] as const) await takePicture(html.replaceAll('<details>', '<details>'), `/tmp/shots/${name}-${runner}-${round}-${scheme}.png`, browser, scheme);
    if (round === 2) await takePicture(html.replaceAll('<details>', '<details open>'), `/tmp/shots/${name}-${runner}-${round}-open.png`, browser, 'light');
  });
} finally {
  await world.close();
}
process.exit(0);
