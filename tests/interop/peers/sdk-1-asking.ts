/** Tools on the official SDK 1.32.2 that ask the client: with live requests, on the call's stream and on the session's. */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { choicesForm, clock, defaultsForm, nameForm, personForm, question, SIGN_IN, thought } from '../vocabulary.ts'

export function registerAsking(server: McpServer): void {
  const asking = server.server
  const tool = (name: string, ask: (relatedRequestId: string | number) => Promise<unknown>) => {
    server.registerTool(name, {}, async ({ requestId }) => {
      const answer = await ask(requestId)
      return { content: [{ type: 'text', text: typeof answer === 'string' ? answer : JSON.stringify(answer) }] }
    })
  }
  const form = (message: string, requestedSchema: unknown, relatedRequestId: string | number) => {
    // The vocabulary keeps to the forms that the specification allows.
    const params = { mode: 'form' as const, message, requestedSchema: requestedSchema as never }
    return asking.elicitInput(params, { relatedRequestId })
  }
  tool('ask_person', (id) => form('Who are you?', personForm, id))
  tool('ask_choices', (id) => form('What do you like?', choicesForm, id))
  tool('ask_defaults', (id) => form('Anything to change?', defaultsForm, id))
  tool('ask_url', async (relatedRequestId) => {
    const params = { mode: 'url' as const, message: 'Please sign in', url: SIGN_IN, elicitationId: crypto.randomUUID() }
    return (await asking.elicitInput(params, { relatedRequestId })).action
  })
  // Not tied to the call: over HTTP this goes out on the session's own stream.
  tool('ask_model', () => asking.createMessage({ ...thought, messages: [question('Think of something')] }))
  tool('ask_roots', async () => (await asking.listRoots()).roots)
  tool('ask_model_tools', async (relatedRequestId) => {
    const asked = question('What time is it?')
    const shared = { tools: [clock], maxTokens: 100 }
    const first = await asking.createMessage(
      { ...shared, messages: [asked], toolChoice: { mode: 'required' } },
      { relatedRequestId },
    )
    const blocks = Array.isArray(first.content) ? first.content : [first.content]
    const use = blocks.find((block) => block.type === 'tool_use')
    if (use === undefined) throw new Error('The model used no tool')
    const result = {
      type: 'tool_result' as const,
      toolUseId: use.id,
      content: [{ type: 'text' as const, text: 'noon' }],
    }
    const messages = [
      asked,
      { role: 'assistant' as const, content: blocks },
      { role: 'user' as const, content: [result] },
    ]
    const second = await asking.createMessage({ ...shared, messages }, { relatedRequestId })
    return { used: use.name, input: use.input, answer: second.content }
  })
  tool('ask_together', async (relatedRequestId) => {
    const [name, sampled, listed] = await Promise.all([
      form('Your name?', nameForm, relatedRequestId),
      asking.createMessage({ maxTokens: 50, messages: [question('A thought?')] }, { relatedRequestId }),
      asking.listRoots({}, { relatedRequestId }),
    ])
    return { name, thought: sampled.content, roots: listed.roots }
  })
}
