-- Resources as documents and prompts as text to insert.
local host = require("portico.host")
local text = require("portico.text")
local view = require("portico.view")

local M = {}

-- Only colours, by kind; a file type would run programs for it.
local SYNTAX = { ["application/json"] = "json", ["text/markdown"] = "markdown", ["text/html"] = "html" }

local function read(uri, done)
  host.request("resources/read", { uri = uri }, function(problem, result)
    if problem then
      return text.notify(problem.message, vim.log.levels.ERROR)
    end
    done(result.contents)
  end)
end

function M.open(uri)
  read(uri, function(contents)
    local buffer = view.buffer(view.name("resource", uri))
    view.set(buffer, view.content(contents))
    local first = type(contents[1]) == "table" and contents[1] or {}
    vim.bo[buffer].syntax = SYNTAX[first.mimeType or ""] or ""
    vim.b[buffer].portico_uri = uri
    view.show(buffer, "botright vsplit")
    view.keys(buffer, {
      q = "<cmd>close<cr>",
      R = function()
        M.open(uri)
      end,
    })
  end)
end

-- Puts the text below the line of the cursor, in the window from which it was asked for.
local function put(window, lines)
  if not vim.api.nvim_win_is_valid(window) then
    return
  end
  local buffer = vim.api.nvim_win_get_buf(window)
  if not vim.bo[buffer].modifiable then
    return text.notify("this buffer cannot be changed", vim.log.levels.WARN)
  end
  local row = vim.api.nvim_win_get_cursor(window)[1]
  vim.api.nvim_buf_set_lines(buffer, row, row, false, lines)
end

function M.insert(uri)
  local window = vim.api.nvim_get_current_win()
  read(uri, function(contents)
    put(window, view.content(contents))
  end)
end

local function insert_prompt(name, args)
  local window = vim.api.nvim_get_current_win()
  host.request("prompts/get", { name = name, arguments = args }, function(problem, result)
    if problem then
      return text.notify(problem.message, vim.log.levels.ERROR)
    end
    local blocks = vim.tbl_map(function(message)
      return message.content
    end, result.messages)
    put(window, view.content(blocks))
  end)
end

-- Asks for what the prompt needs, then inserts what it says.
function M.prompt(name)
  local item = host.find("prompt", name)
  local arguments = item and item.definition.arguments or {}
  if #arguments == 0 then
    return insert_prompt(name, vim.empty_dict())
  end
  local properties, required = {}, {}
  for _, argument in ipairs(arguments) do
    properties[argument.name] = { type = "string", description = argument.description }
    if argument.required then
      table.insert(required, argument.name)
    end
  end
  local window = vim.api.nvim_get_current_win()
  require("portico.form").open({
    title = "Prompt " .. name,
    about = item.definition.description,
    schema = { properties = properties, required = required },
    send = function(values)
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_set_current_win(window)
      end
      insert_prompt(name, values)
    end,
  })
end

return M
