// Teaches: structured output. `output` is checked by the compiler and at run time; older clients get the same as text.
import { createServer, result, ToolError, text, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

const stations: { [city: string]: number } = { Bergen: 9, Lisbon: 22 }

const forecast = tool(
  {
    description: 'Temperature in a city',
    input: z.object({ city: z.string().min(1).describe('Name of the city') }),
    output: z.object({ city: z.string(), celsius: z.number() }),
    readOnly: true,
  },
  ({ city }) => {
    const celsius = stations[city]
    // The model reads this message and can try again; any other exception would reach it as a reference number only.
    if (celsius === undefined) throw new ToolError(`No station in ${city}. Known: ${Object.keys(stations).join(', ')}`)
    return { city, celsius }
  },
)

const warmest = tool(
  { description: 'The warmest cities, best first', output: z.array(z.string()), readOnly: true },
  () => {
    const cities = Object.keys(stations).sort((a, b) => (stations[b] ?? 0) - (stations[a] ?? 0))
    // `result` chooses the text that goes beside the structured value.
    return result({ content: [text(`Warmest: ${cities[0]}`)], structuredContent: cities })
  },
)

serveStdio(createServer({ name: 'weather', version: '1.0.0', tools: { forecast, warmest } }))
