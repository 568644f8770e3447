-- The host beside this editor: starts it, keeps what it tells, and lets the parts of the screen know.
local Rpc = require("portico.rpc")
local portico = require("portico")
local text = require("portico.text")

local M = { servers = {}, items = {}, tasks = {}, questions = {}, state = "off", progress = {} }
local listeners = {}
local PROTOCOL = 1

-- `listener(what, value)` is called after every change.
function M.on(listener)
  table.insert(listeners, listener)
end

local function tell(what, value)
  for _, listener in ipairs(listeners) do
    listener(what, value)
  end
end

local function keep(list, entry, key)
  for at, one in ipairs(list) do
    if one[key] == entry[key] then
      list[at] = entry
      return
    end
  end
  table.insert(list, entry)
end

local function drop(list, value, key)
  for at, one in ipairs(list) do
    if one[key] == value then
      table.remove(list, at)
      return
    end
  end
end

-- All items, page by page.
local function read_items(cursor, found)
  M.request("items/list", cursor and { cursor = cursor } or vim.empty_dict(), function(problem, page)
    if problem then
      return
    end
    vim.list_extend(found, page.items)
    if page.next then
      read_items(page.next, found)
    else
      M.items = found
      tell("items")
    end
  end)
end

local EVENTS = {
  ["server/changed"] = function(params)
    keep(M.servers, params.server, "name")
    tell("servers")
  end,
  ["server/removed"] = function(params)
    drop(M.servers, params.server, "name")
    tell("servers")
  end,
  ["items/changed"] = function()
    read_items(nil, {})
  end,
  ["question/asked"] = function(params)
    keep(M.questions, params.question, "id")
    tell("asked", params.question)
  end,
  ["question/gone"] = function(params)
    drop(M.questions, params.id, "id")
    tell("gone", params.id)
  end,
  ["task/changed"] = function(params)
    keep(M.tasks, params.task, "label")
    tell("tasks")
  end,
  ["turn/event"] = function(params)
    tell("turn", params)
  end,
  progress = function(params)
    local listener = M.progress[params.id]
    if listener then
      listener(params)
    end
  end,
}

local function read_all()
  M.request("servers/list", nil, function(problem, result)
    if not problem then
      M.servers = result.servers
      tell("servers")
      for _, words in ipairs(result.problems or {}) do
        text.notify(words, vim.log.levels.WARN)
      end
    end
  end)
  M.request("tasks/list", nil, function(problem, result)
    if not problem then
      M.tasks = result.tasks
      tell("tasks")
    end
  end)
  M.request("questions/list", nil, function(problem, result)
    for _, question in ipairs(not problem and result.questions or {}) do
      if not question.elsewhere then
        EVENTS["question/asked"]({ question = question })
      end
    end
  end)
  read_items(nil, {})
end

local function closed(status, words)
  local wanted = M.state == "stopping"
  M.rpc, M.state = nil, "off"
  M.servers, M.items, M.questions, M.progress = {}, {}, {}, {}
  tell("servers")
  tell("closed")
  if not wanted then
    local last = vim.trim(words):match("[^\n]*$")
    text.notify("the host has ended (" .. status .. "). " .. last, vim.log.levels.ERROR)
  end
end

function M.start()
  if M.rpc then
    return true
  end
  local settings = portico.settings
  local editor = require("portico.editor")
  M.rpc = Rpc.start(settings.command, settings.folder or vim.fn.getcwd(), {
    request = editor.answer,
    notify = function(method, params)
      if EVENTS[method] then
        EVENTS[method](params)
      end
    end,
    closed = closed,
  })
  if not M.rpc then
    text.notify("cannot run " .. settings.command[1] .. "; npm install -g portico, or set `command`", vim.log.levels.ERROR)
    return false
  end
  M.state = "starting"
  local version = vim.version()
  M.rpc:request("initialize", {
    protocol = PROTOCOL,
    plugin = portico.version,
    editor = { name = "neovim", version = version.major .. "." .. version.minor .. "." .. version.patch },
    offers = editor.offers(settings),
  }, function(problem, result)
    if problem then
      text.notify(problem.message, vim.log.levels.ERROR)
      return M.stop()
    end
    M.state, M.folder, M.version = "ready", result.folder, result.version
    editor.watch(M)
    read_all()
    tell("servers")
  end)
  return true
end

function M.stop()
  if M.rpc then
    M.state = "stopping"
    M.rpc:stop()
  end
end

-- `done(problem, result)`; where there is no host, it is started first.
function M.request(method, params, done)
  if not M.start() then
    return nil
  end
  return M.rpc:request(method, params, done)
end

function M.cancel(id)
  if M.rpc and id then
    M.rpc:notify("cancel", { id = id })
  end
end

function M.find(kind, name)
  for _, item in ipairs(M.items) do
    if (item.kind == kind or (kind == "resource" and item.kind == "template")) and item.name == name then
      return item
    end
  end
end

return M
