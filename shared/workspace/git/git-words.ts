/**
 * Recognises causes in git's error messages. git has one exit code for all of them, so only the message tells them apart.
 * Every call runs with `LC_ALL=C`; the patterns match messages of git, curl, OpenSSL and GnuTLS.
 */

/** `refused`: credential rejected. `missing`: repository missing or hidden. `moved`: redirected; git follows no redirects. */
export type GitComplaint = 'refused' | 'missing' | 'moved' | 'untrusted' | 'disk_full' | 'disk_refused';

/** https://github.com/git/git/blob/v2.47.0/http.c, remote-curl.c, credential.c; the last two patterns are OpenSSH's. */
const REFUSED =
  /Authentication failed for |could not read (?:Username|Password) for |The requested URL returned error: (?:401|403|407)\b|Received HTTP code (?:401|403|407) from proxy|Permission denied \((?:publickey|password|keyboard-interactive)|Host key verification failed/;

const MISSING =
  /The requested URL returned error: (?:404|410)\b|repository '[^'\n]*' not found|does not appear to be a git repository/;

const MOVED = /The requested URL returned error: 30[12378]\b|unable to update url base from redirection/;

/** https://github.com/curl/curl/blob/curl-8_10_0/lib/strerror.c and lib/vtls/ */
const UNTRUSTED =
  /SSL certificate problem|server certificate verification failed|certificate verify failed|SSL peer certificate or SSH remote key was not OK|no alternative certificate subject name matches|certificate subject name .* does not match|error setting certificate (?:file|verify locations)|error adding trust anchors|Problem with the SSL CA cert|Problem with the local SSL certificate/;

/** DISK_FULL: `strerror` of ENOSPC and EDQUOT. DISK_REFUSED: EACCES, EPERM and EROFS after a failed write of git. */
const DISK_FULL = /No space left on device|Disk quota exceeded/;
const DISK_REFUSED =
  /insufficient permission for adding an object|Read-only file system|(?:unable to|could not|cannot|can't|failed to) (?:create|open|write|lock|mkdir|rename|unlink|copy|append).*: (?:Permission denied|Operation not permitted)/;

/** Drops lines from the server (`remote:`): a full disk on the server does not mean that this machine's disk is full. */
const ownLines = (words: string): string =>
  words
    .split('\n')
    .filter((line) => !line.startsWith('remote:'))
    .join('\n');

/** Returns null for any other cause, such as a lost connection or a server error. */
export const complaintIn = (stderr: string): GitComplaint | null => {
  const own = ownLines(stderr);
  if (DISK_FULL.test(own)) return 'disk_full';
  if (UNTRUSTED.test(own)) return 'untrusted';
  if (REFUSED.test(own)) return 'refused';
  if (MISSING.test(own)) return 'missing';
  if (MOVED.test(own)) return 'moved';
  return DISK_REFUSED.test(own) ? 'disk_refused' : null;
};
