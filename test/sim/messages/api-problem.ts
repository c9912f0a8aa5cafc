/** An error response of the API. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error';

export type ApiProblem = {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `error.details.error_code`. */
  readonly errorCode?: string;
};

const TYPES: Readonly<Record<number, ErrorType>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Pairs as on the platform's page on errors; gateways answer 502 and 503 as `api_error`. */
export const errorTypeOf = (status: number): ErrorType =>
  TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

export const invalid = (message: string): ApiProblem => ({ status: 400, type: 'invalid_request_error', message });

export const errorBody = (problem: Omit<ApiProblem, 'status'>, requestId: string): object => ({
  type: 'error',
  error: {
    type: problem.type,
    message: problem.message,
    ...(problem.errorCode === undefined ? {} : { details: { error_code: problem.errorCode } }),
  },
  request_id: requestId,
});
