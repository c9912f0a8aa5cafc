/** Seals texts that a browser keeps for this process. Only this process can make or read one, and none outlives it. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export type Sealer = {
  readonly seal: (text: string) => string;
  /** Null for anything that was not sealed here. */
  readonly open: (sealed: string) => string | null;
};

const [NONCE_BYTES, TAG_BYTES] = [12, 16] as const;

export const createSealer = (): Sealer => {
  const key = randomBytes(32);
  return {
    seal: (text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const start = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([start, decipher.final()]).toString('utf8');
      } catch {
        // The tag does not fit: the only way in which a text says that it was made elsewhere.
        return null;
      }
    },
  };
};
