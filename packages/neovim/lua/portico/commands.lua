-- :Portico and its words. Names of servers and items are only ever arguments; none becomes a command of its own.
local host = require("portico.host")
local text = require("portico.text")

local M = {}

local function names(kind)
  return function()
    local found = {}
    for _, item in ipairs(host.items) do
      if item.kind == kind then
        table.insert(found, item.name)
      end
    end
    return found
  end
end

local function servers()
  return vim.tbl_map(function(server)
    return server.name
  end, host.servers)
end

local function set(action)
  return function(server)
    host.request("servers/set", { server = server or "", action = action }, function(problem)
      if problem then
        text.notify(problem.message, vim.log.levels.WARN)
      end
    end)
  end
end

local function ask(words, context)
  if words and words ~= "" then
    return require("portico.chat").ask(words, context)
  end
  vim.ui.input({ prompt = "Ask the model: " }, function(typed)
    if typed and typed ~= "" then
      require("portico.chat").ask(typed, context)
    end
  end)
end

local WORDS = {
  servers = {
    act = function()
      require("portico.sidebar").toggle()
    end,
  },
  call = {
    complete = names("tool"),
    act = function(name)
      require("portico.tools").call(name or "")
    end,
  },
  read = {
    complete = names("resource"),
    act = function(uri)
      require("portico.documents").open(uri or "")
    end,
  },
  insert = {
    complete = names("resource"),
    act = function(uri)
      require("portico.documents").insert(uri or "")
    end,
  },
  prompt = {
    complete = names("prompt"),
    act = function(name)
      require("portico.documents").prompt(name or "")
    end,
  },
  ask = { act = ask },
  cancel = {
    act = function()
      require("portico.chat").cancel()
      host.cancel(require("portico.tools").running)
    end,
  },
  questions = {
    act = function()
      require("portico.questions").next()
    end,
  },
  tasks = {
    act = function()
      require("portico.tools").tasks()
    end,
  },
  restart = { complete = servers, act = set("restart") },
  enable = { complete = servers, act = set("enable") },
  disable = { complete = servers, act = set("disable") },
  ["sign-in"] = { complete = servers, act = set("sign-in") },
  stop = { act = host.stop },
}

-- Parts that listen to the host are there before it speaks.
local function load()
  for _, part in ipairs({ "questions", "sidebar", "tools", "chat" }) do
    require("portico." .. part)
  end
end

function M.act(word, argument, context)
  load()
  if word ~= "stop" and not host.start() then
    return
  end
  WORDS[word].act(argument, context)
end

function M.run(input)
  local word = input.fargs[1] or "servers"
  if not WORDS[word] then
    return text.notify("there is no :Portico " .. word .. "; see :help portico", vim.log.levels.WARN)
  end
  local rest = vim.trim(input.args:sub(#word + 1))
  local context
  if input.range > 0 then
    context = table.concat(vim.api.nvim_buf_get_lines(0, input.line1 - 1, input.line2, false), "\n")
  end
  M.act(word, rest ~= "" and rest or nil, context)
end

function M.complete(lead, line)
  local words = vim.split(vim.trim(line:gsub("^.-Portico", "", 1)), "%s+")
  local first = words[1]
  local found
  if #words > 1 or (first ~= "" and lead == "") then
    found = WORDS[first] and WORDS[first].complete and WORDS[first].complete() or {}
  else
    found = vim.tbl_keys(WORDS)
  end
  found = vim.tbl_filter(function(name)
    -- Names that would be taken apart, or hide something, are typed by nobody.
    return name:sub(1, #lead) == lead and not name:find("[%s%c]")
  end, found)
  table.sort(found)
  return found
end

return M
