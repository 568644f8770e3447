-- Makes the command :Portico; everything else is loaded when it is first used.
if vim.g.loaded_portico or vim.fn.has("nvim-0.7") == 0 then
  return
end
vim.g.loaded_portico = true

vim.api.nvim_create_user_command("Portico", function(input)
  require("portico.commands").run(input)
end, {
  nargs = "*",
  range = true,
  desc = "MCP servers: side bar, tools, resources, prompts, tasks, a model",
  complete = function(lead, line)
    return require("portico.commands").complete(lead, line)
  end,
})
