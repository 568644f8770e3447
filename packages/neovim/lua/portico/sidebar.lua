-- The side bar: every server with its state, what it offers when it is opened, tasks and questions.
local host = require("portico.host")
local portico = require("portico")
local text = require("portico.text")
local view = require("portico.view")

local M = { opened = {}, rows = {} }
local NAME = "portico://servers"
local MARKS = { ready = "●", degraded = "◐", starting = "◌", failed = "✗", disabled = "○", idle = "○" }
local ORDER = { "tool", "resource", "template", "prompt" }

local function state_words(server)
  if server.waits then
    return "waits for permission"
  end
  return server.state
end

local function draw()
  local lines, rows = {}, {}
  local function add(words, row)
    table.insert(lines, words:match("^ *") .. vim.trim(text.line(words, 200)))
    rows[#lines] = row
  end
  add("Portico · " .. host.state)
  add("Enter opens · r restart · d off · e on · g? help")
  add("")
  for _, server in ipairs(host.servers) do
    local row = { server = server }
    add((MARKS[server.state] or "·") .. " " .. server.name .. " " .. state_words(server), row)
    add(string.format("    %d tools, %d resources, %d prompts", server.tools, server.resources, server.prompts), row)
    if server.reason then
      add("    " .. server.reason, row)
    end
    if M.opened[server.name] then
      for _, kind in ipairs(ORDER) do
        for _, item in ipairs(host.items) do
          if item.server == server.name and item.kind == kind then
            add("    " .. kind .. " " .. item.name .. (item.held and " (changed)" or ""), { item = item })
          end
        end
      end
    end
  end
  if #host.servers == 0 then
    add("No server is configured: portico servers add")
  end
  if #host.questions > 0 then
    add("")
    add("? " .. #host.questions .. " waiting for you", { act = "questions" })
  end
  if #host.tasks > 0 then
    add("")
    add("Tasks", { act = "tasks" })
    for _, task in ipairs(host.tasks) do
      add("  " .. task.tool .. " " .. task.status .. " " .. (task.message or ""), { act = "tasks" })
    end
  end
  M.rows = rows
  return lines
end

function M.refresh()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == NAME then
      view.set(buffer, draw())
    end
  end
end

local function here()
  return M.rows[vim.fn.line(".")] or {}
end

local function enter()
  local row = here()
  local commands = require("portico.commands")
  if row.act then
    return commands.act(row.act)
  end
  if row.server then
    M.opened[row.server.name] = not M.opened[row.server.name] or nil
    return M.refresh()
  end
  local item = row.item
  if not item then
    return
  end
  vim.cmd("wincmd p")
  if item.kind == "tool" then
    commands.act("call", item.name)
  elseif item.kind == "prompt" then
    commands.act("prompt", item.name)
  elseif item.kind == "resource" then
    commands.act("read", item.name)
  else
    vim.ui.input({ prompt = "URI: ", default = text.line(item.definition.uriTemplate or item.name, 500) }, function(uri)
      if uri and uri ~= "" then
        commands.act("read", uri)
      end
    end)
  end
end

local function set(action)
  return function()
    local server = here().server
    if server then
      require("portico.commands").act(action, server.name)
    end
  end
end

function M.toggle()
  local buffer = view.buffer(NAME)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    return vim.api.nvim_win_close(window, false)
  end
  view.set(buffer, draw())
  window = view.show(buffer, "topleft " .. portico.settings.width .. "vsplit")
  local wo = vim.wo[window]
  wo.wrap, wo.number, wo.relativenumber, wo.winfixwidth, wo.signcolumn = false, false, false, true, "no"
  view.keys(buffer, {
    ["<CR>"] = enter,
    r = set("restart"),
    d = set("disable"),
    e = set("enable"),
    q = "<cmd>close<cr>",
    ["g?"] = "<cmd>help portico<cr>",
  })
  vim.cmd("wincmd p")
end

host.on(M.refresh)

return M
