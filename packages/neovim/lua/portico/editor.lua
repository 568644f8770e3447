-- What is open in this editor, for the host: files below the folder, their text, diagnostics, and what is selected.
local M = {}

local SEVERITY = { "error", "warning", "information", "hint" }
local SELECTION_LINES = 2000
local CHANGE_MS = 300

function M.offers(settings)
  local offers = vim.list_extend({ "input" }, settings.offers or {})
  return offers
end

-- The path below the folder, or nothing for what is elsewhere.
local function below(buffer)
  local host = require("portico.host")
  local folder = host.folder or vim.fn.getcwd()
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == "" or vim.bo[buffer].buftype ~= "" or not vim.api.nvim_buf_is_loaded(buffer) then
    return nil
  end
  -- Where links lead counts, not where they are.
  local real = vim.loop.fs_realpath(name) or name
  local root = vim.loop.fs_realpath(folder) or folder
  if real:sub(1, #root + 1) ~= root .. "/" then
    return nil
  end
  return real:sub(#root + 2)
end

local function open_buffers()
  local found = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local path = vim.bo[buffer].buflisted and below(buffer) or nil
    if path then
      table.insert(found, { buffer = buffer, path = path })
    end
  end
  return found
end

local ANSWERS = {
  ["editor/files"] = function()
    local files = {}
    for _, open in ipairs(open_buffers()) do
      local bo = vim.bo[open.buffer]
      table.insert(files, { path = open.path, language = bo.filetype, modified = bo.modified })
    end
    return { files = files }
  end,
  ["editor/text"] = function(params)
    for _, open in ipairs(open_buffers()) do
      if open.path == params.path then
        return { text = table.concat(vim.api.nvim_buf_get_lines(open.buffer, 0, -1, false), "\n") .. "\n" }
      end
    end
  end,
  ["editor/diagnostics"] = function()
    local found = {}
    for _, open in ipairs(open_buffers()) do
      for _, one in ipairs(vim.diagnostic.get(open.buffer)) do
        table.insert(found, {
          path = open.path,
          line = one.lnum + 1,
          column = one.col + 1,
          severity = SEVERITY[one.severity],
          message = one.message,
          source = one.source,
        })
      end
    end
    return { diagnostics = found }
  end,
  ["editor/selection"] = function()
    for _, open in ipairs(open_buffers()) do
      if open.buffer == vim.api.nvim_get_current_buf() then
        local from, to = vim.fn.line("v"), vim.fn.line(".")
        from, to = math.min(from, to), math.max(from, to)
        local lines = vim.api.nvim_buf_get_lines(0, from - 1, math.min(to, from + SELECTION_LINES), false)
        return { selection = { path = open.path, line = from, endLine = to, text = table.concat(lines, "\n") } }
      end
    end
    return { selection = vim.NIL }
  end,
  ["editor/input"] = function(params)
    local words = require("portico.text").line(params.description, 200) .. ": "
    local ask = params.password and vim.fn.inputsecret or vim.fn.input
    local ok, value = pcall(ask, words)
    return { value = ok and value ~= "" and value or vim.NIL }
  end,
}

function M.answer(method, params)
  local answer = ANSWERS[method]
  return answer and answer(params)
end

-- Tells the host when something changed, not more often than anybody reads it.
function M.watch(host)
  local group = vim.api.nvim_create_augroup("portico_editor", { clear = true })
  local waiting = {}
  local function note(what)
    if next(waiting) == nil then
      vim.defer_fn(function()
        local changed = vim.tbl_keys(waiting)
        waiting = {}
        if host.rpc then
          host.rpc:notify("editor/changed", { what = changed })
        end
      end, CHANGE_MS)
    end
    waiting[what] = true
  end
  vim.api.nvim_create_autocmd({ "BufAdd", "BufDelete", "BufWritePost" }, {
    group = group,
    callback = function()
      note("files")
    end,
  })
  vim.api.nvim_create_autocmd("DiagnosticChanged", {
    group = group,
    callback = function()
      note("diagnostics")
    end,
  })
  vim.api.nvim_create_autocmd("VimLeavePre", { group = group, callback = host.stop })
end

return M
