import { PLOTS, walkPlot } from './explore-settings.ts';
import { PRODUCTION } from './explore-reducers.ts';
for (const name of process.argv.slice(2)) {
  const t=Date.now();
  try { const { explored, problems } = walkPlot(PRODUCTION, (PLOTS as any)[name], 60000);
  console.log(name, explored.graph.worlds.length, Date.now()-t, problems.slice(0,8)); } catch (e) { console.log(name, String((e as Error).stack).slice(0,600)); }
}
