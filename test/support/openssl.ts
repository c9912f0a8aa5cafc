/** Certificates for tests, made with openssl. Tests that need them are skipped where it is not installed. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Makes a certificate that signs itself, for two days. `names`: such as `IP:127.0.0.1` or `DNS:forge.internal`. */
export const makeCertificate = (folder: string, names: readonly string[]): { key: string; cert: string } => {
  const files = { key: path.join(folder, 'key.pem'), cert: path.join(folder, 'cert.pem') };
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=tests'];
  const alternatives = ['-addext', `subjectAltName=${names.join(',')}`];
  execFileSync('openssl', [...kind, ...alternatives, '-keyout', files.key, '-out', files.cert], { stdio: 'ignore' });
  return files;
};
