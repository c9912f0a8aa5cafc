/** The Secrets that `deploy/kubernetes` refers to: one for each service that runs, with only its own variables. Computes only. */
import type { ContainerEnv } from './container-env.ts';

/** A list that `kubectl apply -f -` takes. `doctor` reads the Secrets of the services, so it needs none. */
export const kubernetesSecrets = (envs: readonly ContainerEnv[]): string => {
  const items = envs
    .filter(({ name, variables }) => name !== 'doctor' && Object.keys(variables).length > 0)
    .map(({ name, variables }) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `fixpoint-${name}`, labels: { 'app.kubernetes.io/part-of': 'fixpoint' } },
      type: 'Opaque',
      stringData: variables,
    }));
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`;
};
