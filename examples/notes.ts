// Teaches: a whole small server: tools with structured output, resources, a prompt, completion, asking before deleting.
import { createServer, prompt, resource, ToolError, tool } from '@portico/sdk/server'
import { z } from 'zod'
import { notebook } from './notebook.ts'

const title = z.string().min(1).max(80).describe('Title of the note')
const titles = z.object({ titles: z.array(z.string()) })
const complete = { title: (typed: string) => notebook.titles(typed) }
const list = () => notebook.titles().map((name) => ({ name, uri: notebook.uri(name) }))

const add = tool({ description: 'Saves a note', input: z.object({ title, text: z.string() }) }, (note) => {
  const isNew = notebook.write(note.title, note.text)
  server.changed(isNew ? 'resources' : notebook.uri(note.title))
  return `Saved as ${notebook.uri(note.title)}`
})
const search = tool({ input: z.object({ words: z.string() }), output: titles, readOnly: true }, ({ words }) => {
  return { titles: notebook.search(words) }
})
const remove = tool({ input: z.object({ title }), destructive: true }, async (note, ctx) => {
  if (!notebook.has(note.title)) throw new ToolError(`There is no note "${note.title}".`)
  const answer = await ctx.elicit({ message: `Delete "${note.title}"?`, form: z.object({ sure: z.boolean() }) })
  if (answer.action !== 'accept' || !answer.content.sure) return 'Kept.'
  notebook.remove(note.title)
  server.changed('resources')
  return 'Deleted.'
})

const server = createServer({
  name: 'notes',
  version: '1.0.0',
  instructions: 'A notebook. Search before you add; deleting asks the user first.',
  tools: { add, search, remove, list: tool({ output: titles, readOnly: true }, () => ({ titles: notebook.titles() })) },
  resources: { note: resource({ uri: 'notes://{title}', complete, list }, (note) => notebook.read(note.title)) },
  prompts: {
    summarize: prompt({ input: z.object({ title }), complete }, (note) => `Summarize:\n${notebook.read(note.title)}`),
  },
})

export default server
