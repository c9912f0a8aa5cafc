/** The recorded payloads of both forges, each with the headers that the forge sends with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliveryHeaders } from '../../../shared/webhooks/headers.ts';

export type Recorded = {
  /** `forgejo/name.json` */
  readonly file: string;
  readonly dialect: 'forgejo' | 'gitlab';
  readonly headers: DeliveryHeaders;
  readonly raw: Buffer;
  readonly body: unknown;
};

type Entry = {
  readonly file: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly header?: string | null;
  readonly event?: string | null;
  readonly event_type?: string | null;
};

const FOLDERS = ['forgejo', 'forgejo-derived', 'gitea', 'gitlab', 'gitlab-derived'] as const;

// The recordings hold no headers: the manifests say which ones their forge sends.
const headersOf = (entry: Entry): DeliveryHeaders => {
  if (entry.headers !== undefined) {
    return Object.fromEntries(Object.entries(entry.headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
  const { file, event, event_type: eventType, header } = entry;
  if (file.startsWith('webhooks/gitlab')) return { 'x-gitlab-event': header ?? 'System Hook' };
  const family = file.startsWith('webhooks/forgejo') ? 'x-forgejo' : 'x-gitea';
  return { [`${family}-event`]: event ?? '', [`${family}-event-type`]: eventType ?? event ?? '' };
};

const readManifest = (root: string, name: string): readonly Entry[] =>
  JSON.parse(readFileSync(join(root, name), 'utf8')) as readonly Entry[];

export const readRecorded = (root: string): readonly Recorded[] => {
  const entries = [...readManifest(root, 'manifest-json.json'), ...readManifest(root, 'manifest-derived.json')];
  const byFile = new Map(entries.map((entry) => [entry.file, entry]));
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, 'webhooks', folder)).map((name): Recorded => {
      const file = `${folder}/${name}`;
      const entry = byFile.get(`webhooks/${file}`);
      if (entry === undefined) throw new Error(`${file} is in no manifest`);
      const raw = readFileSync(join(root, 'webhooks', file));
      return {
        file,
        dialect: folder.startsWith('gitlab') ? 'gitlab' : 'forgejo',
        headers: headersOf(entry),
        raw,
        body: JSON.parse(raw.toString('utf8')),
      };
    }),
  );
};
