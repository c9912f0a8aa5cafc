/** A small HTTP server that plays one scripted answer per request and fails the test when it is asked once more. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

export type Answer =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'text'; readonly status: number; readonly body: string; readonly headers?: Record<string, string> }
  /** The connection is cut after the request was read. */
  | { readonly kind: 'reset' }
  /** A head that promises more bytes than come before the connection is cut. */
  | { readonly kind: 'cut' }
  /** Nothing is ever answered. */
  | { readonly kind: 'silence' };

export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type ScriptedServer = {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  readonly surprises: readonly string[];
  close(): Promise<void>;
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
};

const play = (answer: Answer, request: IncomingMessage, response: ServerResponse): void => {
  switch (answer.kind) {
    case 'json':
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.body));
      return;
    case 'text':
      response.writeHead(answer.status, answer.headers ?? {});
      response.end(answer.body);
      return;
    case 'reset':
      request.socket.destroy();
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"half":');
      response.flushHeaders();
      setImmediate(() => request.socket.destroy());
      return;
    case 'silence':
      return;
    default:
      answer satisfies never;
  }
};

export type Script = readonly Answer[] | ((request: SeenRequest) => Answer);

export const startScriptedServer = async (script: Script): Promise<ScriptedServer> => {
  const requests: SeenRequest[] = [];
  const surprises: string[] = [];
  const next = (seen: SeenRequest): Answer => {
    if (typeof script === 'function') return script(seen);
    const answer = script[requests.length - 1];
    if (answer !== undefined) return answer;
    surprises.push(`${seen.method} ${seen.url}`);
    return { kind: 'text', status: 418, body: 'not in the script' };
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    requests.push(seen);
    play(next(seen), request, response);
  };
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    surprises,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
