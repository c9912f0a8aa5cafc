/** The response of a route. At most one of json, text and html is set; without any, the body is empty. */
export type Reply = {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export class SimHttpError extends Error {
  readonly status: number;
  /** Some errors have neither a body nor a content type. */
  readonly hasBody: boolean;
  constructor(status: number, message: string, form?: 'no body') {
    super(message);
    this.name = 'SimHttpError';
    this.status = status;
    this.hasBody = form === undefined;
  }
}

/** The forge also answers 404 for objects that exist but are hidden (forges.md 5.1). */
export const notFound = (): SimHttpError => new SimHttpError(404, "The target couldn't be found.");
export const forbidden = (message: string): SimHttpError => new SimHttpError(403, message);
export const unprocessable = (message: string): SimHttpError => new SimHttpError(422, message);
export const serverError = (message: string): SimHttpError => new SimHttpError(500, message);

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  json: body,
  headers,
});
export const empty = (status: number): Reply => ({ status });
