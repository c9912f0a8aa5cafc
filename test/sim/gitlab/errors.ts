/** GitLab's error responses: `{message}` from its own checks, `{error}` for parameters and tokens. */
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

/** GitLab also answers 404 for objects that exist but are hidden. */
export const notFound = (what: string): GitlabRefusal => new GitlabRefusal(404, { message: `404 ${what} Not Found` });
export const forbidden = (): GitlabRefusal => new GitlabRefusal(403, { message: '403 Forbidden' });
export const unauthorized = (): GitlabRefusal => new GitlabRefusal(401, { message: '401 Unauthorized' });
export const badRequest = (reason: string): GitlabRefusal =>
  new GitlabRefusal(400, { message: `400 Bad request - ${reason}` });
export const badParameter = (text: string): GitlabRefusal => new GitlabRefusal(400, { error: text });
export const conflict = (reason: string): GitlabRefusal => new GitlabRefusal(409, { message: reason });

/** A failed model validation, as by `render_validation_error!`. */
export const invalid = (errors: Readonly<Record<string, readonly string[]>>): GitlabRefusal =>
  new GitlabRefusal(400, { message: errors });

/** Ruby's printed form of a hash of messages, which GitLab returns unchanged (forges.md 3.3). */
export const rubyHash = (errors: Readonly<Record<string, readonly string[]>>): string =>
  `{${Object.entries(errors)
    .map(([name, texts]) => `:${name}=>[${texts.map((text) => JSON.stringify(text)).join(', ')}]`)
    .join(', ')}}`;

export const badNote = (errors: Readonly<Record<string, readonly string[]>>): GitlabRefusal =>
  badRequest(`Note ${rubyHash(errors)}`);
