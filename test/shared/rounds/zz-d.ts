import { PLOTS } from './explore-settings.ts';
import { PRODUCTION } from './explore-reducers.ts';
import { settingOf, freshWorld, reread, historyOf } from './explore-world.ts';
import { stepsOf } from './explore-moves.ts';
import { canonical } from './explore-canonical.ts';
const plot=PLOTS.threads; const setting=settingOf(PRODUCTION, plot.rounds, plot.scope as any);
let w=canonical(reread(setting, freshWorld({faults:0,grants:0,outages:0})));
for(const want of ['somebody pushes','announcing is posted','a draft','posting (no thread, and 1 new) is posted','somebody pushes','announcing is posted','a draft']){
  const steps=stepsOf(setting,w); const s=steps.find(x=>x.label===want);
  if(!s){console.log('no',want,steps.map(x=>x.label)); break;}
  w=s.to; const st=w.state!; const h=historyOf(PRODUCTION,w.forge);
  console.log(want,'|',st.running?.phase,st.runsUsed,st.roundsUsed,st.silentReviews,'done',st.roundsDone,'| hist',h.roundsDone,h.runsUsed,h.threads.map(t=>[t.id,t.state,t.round]), st.closed.length);
}
