/** The fields of SARIF 2.1.0 that are read: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
import { z } from 'zod';

const Text = z.string().nullish();
const Index = z.int().nullish();

const SarifMessage = z.object({ text: Text, id: Text, arguments: z.array(z.string()).nullish() });
export type SarifMessage = z.output<typeof SarifMessage>;

const ArtifactLocation = z.object({ uri: Text, uriBaseId: Text, index: Index });
export type ArtifactLocation = z.output<typeof ArtifactLocation>;

const Region = z.object({ startLine: Index, endLine: Index, endColumn: Index });
const Location = z.object({
  physicalLocation: z.object({ artifactLocation: ArtifactLocation.nullish(), region: Region.nullish() }).nullish(),
});

const Suppression = z.object({ kind: Text, status: Text });

export const SarifResult = z.object({
  ruleId: Text,
  ruleIndex: Index,
  rule: z.object({ id: Text, index: Index, toolComponent: z.object({ index: Index }).nullish() }).nullish(),
  kind: Text,
  level: Text,
  message: SarifMessage.nullish(),
  locations: z.array(Location).nullish(),
  suppressions: z.array(Suppression).nullish(),
  baselineState: Text,
});
export type SarifResult = z.output<typeof SarifResult>;

/** Tags are not part of the standard, but most scanners put weaknesses there: `external/cwe/cwe-079`, `CWE-79: …`. */
const Properties = z.object({ tags: z.array(z.unknown()).nullish().catch(null) });
const TaxonTarget = z.object({
  id: Text,
  toolComponent: z.object({ name: Text }).nullish(),
});

const SarifRule = z.object({
  id: Text,
  properties: Properties.nullish().catch(null),
  relationships: z
    .array(z.object({ target: TaxonTarget.nullish() }))
    .nullish()
    .catch(null),
  shortDescription: SarifMessage.nullish(),
  fullDescription: SarifMessage.nullish(),
  help: SarifMessage.nullish(),
  messageStrings: z.record(z.string(), SarifMessage).nullish(),
  defaultConfiguration: z.object({ level: Text }).nullish(),
});
export type SarifRule = z.output<typeof SarifRule>;

const Component = z.object({ rules: z.array(SarifRule).nullish() });

const Notification = z.object({ level: Text });
const Invocation = z.object({
  executionSuccessful: z.boolean().nullish(),
  toolExecutionNotifications: z.array(Notification).nullish(),
  toolConfigurationNotifications: z.array(Notification).nullish(),
});

export const SarifRun = z.object({
  tool: z.object({ driver: Component, extensions: z.array(Component).nullish() }),
  invocations: z.array(Invocation).nullish(),
  originalUriBaseIds: z.record(z.string(), ArtifactLocation).nullish(),
  artifacts: z.array(z.object({ location: ArtifactLocation.nullish() })).nullish(),
  /** Null or absent: the tool did not analyze anything. */
  results: z.array(z.unknown()).nullish(),
});
export type SarifRun = z.output<typeof SarifRun>;

export const SarifLog = z.object({ version: z.string(), runs: z.array(z.unknown()).nullish() });
