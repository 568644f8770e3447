/** Everything about asking clients, as one part that is loaded for the first handler that asks (`load.ts`). */

export { askElicitation } from '../features/elicitation.ts'
export { askRoots } from '../features/roots.ts'
export { askSampling } from '../features/sampling.ts'
export { openRounds, takeSleep, takeStep } from './asking.ts'
export { runRound } from './round-once.ts'
