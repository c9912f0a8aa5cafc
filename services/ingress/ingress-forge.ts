import type { Config } from '../../shared/config/load.ts';
import type { ForgeKind } from '../../shared/config/forge-settings.ts';
import type { ForgeId } from '../../shared/rounds/vocabulary.ts';

/** What the ingress knows of one forge: enough to believe its deliveries, nothing to talk to it. */
export type IngressForge = {
  readonly id: ForgeId;
  /** Decides which dialect is understood at this forge's address, whatever the headers say. */
  readonly kind: ForgeKind;
  readonly webhookSecrets: readonly string[];
  readonly signingTokens: readonly string[];
  /** Allow list of human paths. */
  readonly projects: readonly string[];
};

export const ingressForges = (config: Pick<Config, 'forges' | 'secrets'>): readonly IngressForge[] =>
  config.forges.map(({ id, kind, projects }) => {
    const secrets = config.secrets.forges.get(id);
    const signingToken = secrets?.signingToken ?? null;
    return {
      id,
      kind,
      projects,
      webhookSecrets: secrets?.webhookSecrets ?? [],
      signingTokens: signingToken === null ? [] : [signingToken],
    };
  });

/** Forges take paths in any case. A payload that names no project is in no list. */
export const servesProject = (forge: IngressForge, path: string | null): boolean => {
  if (path === null) return false;
  const wanted = path.toLowerCase();
  return forge.projects.some((project) => project.toLowerCase() === wanted);
};
