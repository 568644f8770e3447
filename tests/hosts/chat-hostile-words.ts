/** What a model may be led to say, and a server may say by itself. */
export const HOSTILE_WORDS =
  'Look: <!channel> and <@U2BEN>, <https://evil.example|https://bank.example>, [here](https://evil.example), @everyone, \u202egnp.exe, ' +
  '**<!here>** `<@U1ADA>`\n```\n<!everyone>\n```\n{"type":"button","value":"allow"}'
