/** Schemas from which settings are built. Their messages state the expected value and never quote the given one. */
import { z } from 'zod';
import { NO_PROXY_AT_ALL } from '../vocabulary/proxy-setting.ts';
import { compileGlob } from '../diff/paths/glob-match.ts';

/** Name of an environment variable. It must be upper case, so that most secrets pasted here by mistake are refused. */
export const EnvName = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9_]{0,63}$/,
    'expected the name of an environment variable (A-Z, 0-9 and _), not the secret itself',
  );

const WELL_FORMED = 'unclosed bracket or brace, or a pattern that matches nothing';

/** False for a pattern that can never match: it is empty, or has an unclosed bracket or brace. */
const isGlob = (pattern: string): boolean => compileGlob(pattern) !== null;

/** A pattern of `shared/diff/paths/glob-match.ts`. Its length is limited, because it is matched against every path. */
export const PathPattern = z
  .string()
  .regex(/^[^\p{Cc}]{1,200}$/u, 'expected a path pattern of 1 to 200 characters')
  .refine((pattern) => !pattern.startsWith('/') && !pattern.split('/').includes('..'), {
    message: 'expected a pattern relative to the root of the repository, without ".."',
  })
  .refine((pattern) => (pattern.match(/\*+/g) ?? []).length <= 8, { message: 'expected at most 8 wildcards' })
  .refine(isGlob, { message: WELL_FORMED });

export const PathPatterns = z.array(PathPattern).max(100).default([]);

const Name = z.string().regex(/^[^\p{Cc}]{1,255}$/u, 'expected a name of 1 to 255 characters');

/** Patterns for labels and CI contexts, whose names may contain anything; so an invalid pattern is matched literally. */
export const NamePatterns = z
  .array(
    Name.refine((pattern) => !pattern.endsWith('/'), {
      message: 'expected no trailing "/": with one, the value matches nothing',
    }),
  )
  .max(100)
  .default([]);

const BranchPattern = z
  .string()
  .regex(/^[^\p{Cc} ~^:]{1,255}$/u, 'expected a branch pattern of 1 to 255 characters, without " ", "~", "^", ":"')
  .refine((pattern) => !/^\/|\/$|\/\/|\.\.|@\{|^refs\/(?:heads|tags)\//.test(pattern), {
    message:
      'expected a branch name without "refs/heads/", "..", "//" or a leading or trailing "/": such a name matches nothing',
  })
  .refine(isGlob, { message: WELL_FORMED });

export const BranchPatterns = z.array(BranchPattern).max(100).default([]);

/** An account name as the forge shows it, without the `@`. */
export const Login = z
  .string()
  .regex(/^(?!\.+$)[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}$/, 'expected an account name without "@"');

export const Logins = z.array(Login).max(100).default([]);

const LoginPattern = z
  .string()
  .regex(
    /^(?!\.+$)[A-Za-z0-9_.*?{[][A-Za-z0-9_.,*?!{}[\]-]{0,254}$/,
    'expected an account name without "@", or a pattern',
  )
  .refine((pattern) => Login.safeParse(pattern).success || isGlob(pattern), { message: WELL_FORMED });

export const LoginPatterns = z.array(LoginPattern).max(100).default([]);

/** `owner/name` (on GitLab also `group/sub/name`), `group/*` or `*`; see `projects/project-scope.ts`. */
export const ProjectPattern = z
  .string()
  .regex(
    /^(?:\*\*?|[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*\/(?:[A-Za-z0-9_.-]+|\*\*?))$/,
    'expected "owner/name" (GitLab: "group/sub/name"), "group/*" or "*"',
  );

export const Port = z.int().min(0).max(65_535);

const isPlainWebAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return plain && (url.protocol === 'https:' || url.protocol === 'http:');
};

/** A URL without the final slash, so that a path can be appended. A sub-path is kept. */
export const BaseUrl = z
  .string()
  .refine(isPlainWebAddress, {
    message: 'expected an http(s) URL without user name, password, query or fragment',
  })
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** Address of a proxy, "none", or null: the variables of the environment decide. Only those can hold a user and a password. */
export const Proxy = z
  .string()
  .refine((text) => text === NO_PROXY_AT_ALL || isPlainWebAddress(text), {
    message: 'expected "none" or the http(s) URL of a proxy without user name and password; HTTPS_PROXY may have both',
  })
  .nullable()
  .default(null);

/** Path of a program. It is never searched in `PATH`, and never relative to a folder that others can write to. */
export const AbsolutePath = z.string().regex(/^\/[^\p{Cc}]{1,4095}$/u, 'expected an absolute path');

export const FilePath = z.string().regex(/^[^\p{Cc}]{1,4096}$/u, 'expected a path');

export const Host = z.string().regex(/^[A-Za-z0-9_.:%-]{1,255}$/, 'expected a host name or an IP address');
