/** Why a delivery was rejected, for logs and counters only. The sender does not learn the reason. */
export type VerificationFailure =
  | 'no_secret_configured'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_malformed'
  | 'timestamp_outside_window'
  | 'token_missing'
  | 'token_mismatch';

export type Verification = { readonly ok: true } | { readonly ok: false; readonly reason: VerificationFailure };

export const refuseDelivery = (reason: VerificationFailure): Verification => ({ ok: false, reason });
