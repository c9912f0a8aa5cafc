/** The part of autocannon 9 that the bench uses; the package brings no types. https://github.com/mcollina/autocannon */
declare module 'autocannon' {
  namespace autocannon {
    type Request = {
      readonly method: string;
      readonly path: string;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    };
    type Options = {
      readonly url: string;
      readonly connections: number;
      readonly amount: number;
      readonly requests: readonly { readonly setupRequest: (request: Request) => Request }[];
    };
    type Result = {
      readonly '2xx': number;
      /** Seconds. */
      readonly duration: number;
      /** Milliseconds. */
      readonly latency: { readonly p99: number };
    };
  }
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>;
  export default autocannon;
}
