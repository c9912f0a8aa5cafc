import type { Config } from '../../shared/config/load.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { type ProjectScope, parseProjectScope } from '../../shared/config/projects/project-scope.ts';
import type { ForgeId } from '../../shared/vocabulary/ids.ts';

export type IngressForge = {
  readonly id: ForgeId;
  /** Deliveries at this address must have the format of this kind of forge, whatever their headers say. */
  readonly kind: ForgeKind;
  readonly webhookSecrets: readonly string[];
  readonly signingTokens: readonly string[];
  readonly scope: ProjectScope;
};

export const ingressForges = (config: Pick<Config, 'forges' | 'secrets'>): readonly IngressForge[] =>
  config.forges.map(({ id, kind, projects }) => {
    const secrets = config.secrets.forges.get(id);
    const signingToken = secrets?.signingToken ?? null;
    return {
      id,
      kind,
      scope: parseProjectScope(projects),
      webhookSecrets: secrets?.webhookSecrets ?? [],
      signingTokens: signingToken === null ? [] : [signingToken],
    };
  });
