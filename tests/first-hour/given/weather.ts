import { createServer, tool } from '@portico/sdk/server'

const input = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'The name of the city' },
    days: { type: 'integer', minimum: 1, description: 'How many days; one unless given' },
  },
  required: ['city'],
} as const

const forecast = tool({ description: 'Forecast for a city', input, readOnly: true }, ({ city, days = 1 }) => ({
  city,
  celsius: Array.from({ length: days }, (_, day) => 20 + day),
}))

export default createServer({ name: 'weather', version: '1.0.0', tools: { forecast } })
