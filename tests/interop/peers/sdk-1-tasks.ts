/** A tool that is nothing but a task, on the experimental tasks of the official SDK 1.32.2, as a program that a client starts. */

import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

const taskStore = new InMemoryTaskStore()
const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
const server = new McpServer({ name: 'official-1-tasks', version: '1.32.2' }, { capabilities, taskStore })

server.experimental.tasks.registerToolTask(
  'bake',
  { description: 'Bakes a cake', execution: { taskSupport: 'required' } },
  {
    async createTask({ taskStore: store }) {
      const task = await store.createTask({ ttl: 60_000, pollInterval: 100 })
      const content = [{ type: 'text' as const, text: 'one cake' }]
      setTimeout(() => void store.storeTaskResult(task.taskId, 'completed', { content }), 150)
      return { task }
    },
    getTask: ({ taskId, taskStore: store }) => store.getTask(taskId),
    getTaskResult: ({ taskId, taskStore: store }) => store.getTaskResult(taskId) as never,
  },
)
await server.connect(new StdioServerTransport())
