-- :checkhealth portico
local M = {}

function M.check()
  local health = vim.health or require("health")
  local start, ok = health.start or health.report_start, health.ok or health.report_ok
  local fail = health.error or health.report_error
  start("portico")
  if vim.fn.has("nvim-0.7") == 1 then
    ok("Neovim is new enough")
  else
    fail("Neovim 0.7 or newer is needed")
  end
  local portico = require("portico")
  local program = portico.settings.command[1]
  if vim.fn.executable(program) == 1 then
    ok(program .. " is there")
  else
    fail(program .. " is not there: npm install -g portico, or require('portico').setup({ command = {…} })")
  end
  local host = require("portico.host")
  if host.version == nil then
    ok("the host has not been started yet; :Portico starts it")
  elseif host.version == portico.version then
    ok("plugin and host are both of version " .. portico.version)
  else
    fail("the plugin is of version " .. portico.version .. ", the host of " .. host.version)
  end
end

return M
