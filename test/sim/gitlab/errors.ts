/** What GitLab answers when it refuses: `{message}` from its own checks, `{error}` from parameters and tokens. */
export class GitlabRefusal extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
    super(JSON.stringify(body));
    this.name = 'GitlabRefusal';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** GitLab answers 404 also for what exists but may not be seen. */
export const notFound = (what: string): GitlabRefusal => new GitlabRefusal(404, { message: `404 ${what} Not Found` });
export const forbidden = (): GitlabRefusal => new GitlabRefusal(403, { message: '403 Forbidden' });
export const unauthorized = (): GitlabRefusal => new GitlabRefusal(401, { message: '401 Unauthorized' });
export const badRequest = (reason: string): GitlabRefusal =>
  new GitlabRefusal(400, { message: `400 Bad request - ${reason}` });
export const badParameter = (text: string): GitlabRefusal => new GitlabRefusal(400, { error: text });
export const conflict = (reason: string): GitlabRefusal => new GitlabRefusal(409, { message: reason });

/** A model that would not be saved, as `render_validation_error!` shows it. */
export const invalid = (errors: Readonly<Record<string, readonly string[]>>): GitlabRefusal =>
  new GitlabRefusal(400, { message: errors });

/** Ruby's way of printing a hash of messages: it stands in the answer as it is (forges.md 3.3). */
export const rubyHash = (errors: Readonly<Record<string, readonly string[]>>): string =>
  `{${Object.entries(errors)
    .map(([name, texts]) => `:${name}=>[${texts.map((text) => JSON.stringify(text)).join(', ')}]`)
    .join(', ')}}`;

export const badNote = (errors: Readonly<Record<string, readonly string[]>>): GitlabRefusal =>
  badRequest(`Note ${rubyHash(errors)}`);
