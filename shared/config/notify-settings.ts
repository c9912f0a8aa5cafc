/** `[[notify]]`: who else is notified if the installation needs a person. If no hook is configured, nobody is notified. */
import { z } from 'zod';
import { HookName, NotifyEventKind, ReceiverKind } from '../vocabulary/notify.ts';
import { EnvName, ProjectPattern } from './values.ts';

const NotifyHook = z
  .strictObject({
    name: HookName,
    kind: ReceiverKind,
    /** The name of the variable with the address, which is a secret: anyone who has it can post to it. */
    urlEnv: EnvName,
    /** The name of the variable with the secret that signs requests of kind `json` as described by Standard Webhooks. */
    secretEnv: EnvName.nullable().default(null),
    events: z
      .array(NotifyEventKind)
      .min(1)
      .max(20)
      .default([...NotifyEventKind.options]),
    /** Ids of `[[forge]]` tables. If not empty, only events of these forges are sent. */
    forges: z.array(z.string().min(1).max(32)).max(50).default([]),
    /** Patterns as in `[[forge]] projects`. If not empty, only events of these projects are sent. */
    projects: z.array(ProjectPattern).max(500).default([]),
  })
  .refine(({ kind, secretEnv }) => (kind === 'json') === (secretEnv !== null), {
    path: ['secretEnv'],
    message: 'required for kind "json" and not allowed for other kinds: only json is signed',
  });
export type NotifyHook = z.output<typeof NotifyHook>;

export const NotifySettings = z.array(NotifyHook).max(20).default([]);
export type NotifySettings = z.output<typeof NotifySettings>;

/** Finds errors that only the whole configuration shows. */
export const findNotifyProblems = (hooks: NotifySettings, forgeIds: ReadonlySet<string>): readonly string[] => {
  const seen = new Set<string>();
  return hooks.flatMap(({ name, forges }, index) => {
    const at = `notify[${index}]`;
    const isRepeated = seen.has(name);
    seen.add(name);
    const unknown = forges.flatMap((forge, n) =>
      forgeIds.has(forge) ? [] : [`${at}.forges[${n}]: expected the id of a [[forge]]`],
    );
    return [...unknown, ...(isRepeated ? [`${at}.name: another hook has this name; names must be unique`] : [])];
  });
};
