// Teaches: a port. The interface of the published sequential-thinking server: one tool, schemas that forgive.
import { createServer, tool } from '@portico/sdk/server'
import { z } from 'zod'

/** Models write numbers as text and "false" for false; what is meant is plain. */
const count = z.coerce.number().int().min(1)
const flag = z.preprocess((value) => (typeof value === 'string' ? value.toLowerCase() === 'true' : value), z.boolean())

const Thought = z.object({
  thought: z.string().describe('What you think in this step'),
  nextThoughtNeeded: flag.describe('Whether another step follows'),
  thoughtNumber: count.describe('Which step this is, from 1'),
  totalThoughts: count.describe('How many steps you expect; say another number whenever you expect another'),
  isRevision: flag.optional().describe('Whether this corrects an earlier step'),
  revisesThought: count.optional().describe('The step that it corrects'),
  branchFromThought: count.optional().describe('The step at which another line of thought begins'),
  branchId: z.string().optional().describe('A name for that line'),
  needsMoreThoughts: flag.optional().describe('Whether the steps expected turned out too few'),
})
type Thought = z.infer<typeof Thought>

const State = z.object({
  thoughtNumber: z.number(),
  totalThoughts: z.number(),
  nextThoughtNeeded: z.boolean(),
  branches: z.array(z.string()),
  thoughtHistoryLength: z.number(),
})

const history: Thought[] = []
const branches = new Set<string>()

function show({ thought, thoughtNumber, totalThoughts, revisesThought, branchFromThought, branchId }: Thought): string {
  const about = [
    revisesThought === undefined ? '' : ` (corrects ${revisesThought})`,
    branchFromThought === undefined ? '' : ` (${branchId} from ${branchFromThought})`,
  ]
  return `${thoughtNumber}/${totalThoughts}${about.join('')} ${thought}`
}

const sequentialthinking = tool(
  {
    title: 'Sequential thinking',
    description: [
      'Notes down one step of thinking. For problems that need several steps, whose scope shows only on the way, or where',
      'a wrong turn has to be taken back: number the steps, correct earlier ones, follow two lines side by side, and stop',
      'when the answer is there.',
    ].join(' '),
    input: Thought,
    output: State,
    readOnly: true,
    openWorld: false,
  },
  (thought) => {
    // More steps than were expected are no mistake.
    const noted = { ...thought, totalThoughts: Math.max(thought.totalThoughts, thought.thoughtNumber) }
    history.push(noted)
    if (noted.branchFromThought !== undefined && noted.branchId !== undefined) branches.add(noted.branchId)
    if (process.env.DISABLE_THOUGHT_LOGGING !== 'true') console.error(show(noted))
    const { thoughtNumber, totalThoughts, nextThoughtNeeded } = noted
    return {
      thoughtNumber,
      totalThoughts,
      nextThoughtNeeded,
      branches: [...branches],
      thoughtHistoryLength: history.length,
    }
  },
)

export default createServer({ name: 'sequential-thinking-server', version: '1.0.0', tools: { sequentialthinking } })
