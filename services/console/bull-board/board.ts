/**
 * bull-board, which shows every job of every queue to experts. Its packages bring the queries and the page; the routes
 * are our own, because its adapter for fastify needs a newer Node and its page loads fonts from another server.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import { QUEUE_NAMES } from '../../../shared/queue/failed-jobs.ts';
import type { Queues } from '../../../shared/queue/enqueue.ts';
import { cleanStrings } from './clean-strings.ts';
import { type BullBoardPackages, loadPackages } from './load-packages.ts';

export type BoardQuery = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
};

type BoardRoute = {
  /** Below the path of the board, with parameters such as `:queueName`. */
  readonly path: string;
  /** Rejects with errors of Redis. */
  readonly answer: (asked: BoardQuery) => Promise<{ readonly status: number; readonly body: unknown }>;
};

export type Board = {
  /** The paths that all show the page, whose script reads the address. */
  readonly pages: readonly string[];
  /** What the page asks for. Nothing here changes a job. */
  readonly routes: readonly BoardRoute[];
  readonly look: {
    readonly styles: readonly string[];
    readonly scripts: readonly string[];
    readonly config: UIConfig;
  };
  /** The absolute paths of the files of the page by their names below `static/`. */
  readonly files: ReadonlyMap<string, string>;
};

export type BoardDeps = {
  readonly queues: Pick<Queues, 'queue'>;
  readonly clean: (text: string) => string;
  readonly load?: () => Promise<BullBoardPackages>;
};

/** @throws BullBoardNotInstalledError */
export const openBoard = async ({ queues, clean, load = loadPackages }: BoardDeps): Promise<Board> => {
  const { createBullBoard, BullMQAdapter } = await load();
  const { adapter, given } = createAdapter();
  createBullBoard({
    queues: QUEUE_NAMES.map((name) => new BullMQAdapter(queues.queue(name), { readOnlyMode: true })),
    serverAdapter: adapter,
    options: { uiConfig: UI },
  });
  const index = readFileSync(path.join(given.views, 'index.ejs'), 'utf8');
  return {
    pages: [given.entry.route].flat(),
    routes: given.api.filter(isLook).flatMap((route) => routesOf(route, given, clean)),
    look: {
      styles: namesIn(index, /href="static\/(css\/[\w.-]{1,80}\.css)"/g),
      scripts: namesIn(index, /src="static\/(js\/[\w.-]{1,80}\.js)"/g),
      config: given.ui,
    },
    files: filesBelow(given.files),
  };
};

const UI: UIConfig = {
  boardTitle: 'Fixpoint',
  miscLinks: [{ text: 'Back to Fixpoint', url: '/queues' }],
  // Both ask Redis for all its clients or for its settings, with rights that Fixpoint need not have.
  hideRedisDetails: true,
  showWorkers: false,
  hideDocsLink: true,
};

type Given = {
  queues: BullBoardQueues;
  views: string;
  files: string;
  entry: AppViewRoute;
  api: readonly AppControllerRoute[];
  ui: UIConfig;
};

/** Keeps what bull-board says about its routes. */
const createAdapter = (): { readonly adapter: IServerAdapter; readonly given: Given } => {
  const given: Given = {
    queues: new Map(),
    views: '',
    files: '',
    entry: { method: 'get', route: [], handler: () => ({ name: '', params: {} }) },
    api: [],
    ui: {},
  };
  const keep = (part: Partial<Given>): IServerAdapter => {
    Object.assign(given, part);
    return adapter;
  };
  const adapter: IServerAdapter = {
    setQueues: (queues) => keep({ queues }),
    setViewsPath: (views) => keep({ views }),
    setStaticPath: (_route, files) => keep({ files }),
    setEntryRoute: (entry) => keep({ entry }),
    setApiRoutes: (api) => keep({ api }),
    setUIConfig: (ui) => keep({ ui }),
    // Errors are answered as on every other page, without their message.
    setErrorHandler: () => adapter,
  };
  return { adapter, given };
};

const isLook = ({ method }: AppControllerRoute): boolean => [method].flat().every((each) => each === 'get');

const routesOf = (definition: AppControllerRoute, given: Given, clean: BoardDeps['clean']): BoardRoute[] =>
  [definition.route].flat().map((below) => ({
    path: below,
    answer: async ({ params, query }) => {
      const asked = { queues: given.queues, uiConfig: given.ui, params, query, body: {}, headers: {} };
      const { status = 200, body } = await definition.handler(asked);
      return { status, body: cleanStrings(body, clean) };
    },
  }));

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

const filesBelow = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return [path.relative(folder, file).split(path.sep).join('/'), file];
      }),
  );
