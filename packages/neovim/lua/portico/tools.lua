-- Tools as commands with forms, and the tasks that become of some calls.
local form = require("portico.form")
local host = require("portico.host")
local text = require("portico.text")
local view = require("portico.view")

local M = {}

local function send(item, values, as_task)
  local id
  id = host.request("tools/call", { name = item.name, arguments = values, task = as_task }, function(problem, result)
    host.progress[id] = nil
    M.running = nil
    if problem then
      return text.notify(problem.message, vim.log.levels.ERROR)
    end
    if result.task then
      return M.tasks()
    end
    view.show_result(item.name, result.result)
  end)
  M.running = id
  host.progress[id] = function(progress)
    local done = progress.progress .. (progress.total and "/" .. progress.total or "")
    vim.api.nvim_echo({ { "Portico: " .. text.line(item.name .. " " .. done .. " " .. (progress.message or ""), 120) } }, false, {})
  end
end

function M.call(name)
  local item = host.find("tool", name)
  if not item then
    return text.notify("there is no tool " .. name, vim.log.levels.WARN)
  end
  if item.held then
    return text.notify(name .. " changed and waits for approval: :Portico questions", vim.log.levels.WARN)
  end
  form.open({
    title = "Call " .. item.name,
    about = item.definition.description,
    schema = item.definition.inputSchema or {},
    tasks = true,
    send = function(values, as_task)
      send(item, values, as_task)
    end,
  })
end

local function task_lines()
  local lines = { "Tasks", "Enter shows the result, x cancels, d takes it off the list, q leaves", "" }
  for _, task in ipairs(host.tasks) do
    local words = { task.label, task.server, task.tool, task.status, task.message or "" }
    table.insert(lines, text.line(table.concat(words, " "), 200))
  end
  if #host.tasks == 0 then
    table.insert(lines, "(none)")
  end
  return lines
end

local function task_here()
  return host.tasks[vim.fn.line(".") - 3]
end

function M.tasks()
  local buffer = view.buffer("portico://tasks")
  view.set(buffer, task_lines())
  view.show(buffer, "botright 8split")
  view.keys(buffer, {
    q = "<cmd>close<cr>",
    ["<CR>"] = function()
      local task = task_here()
      if task then
        host.request("tasks/result", { label = task.label }, function(problem, result)
          if problem then
            return text.notify(problem.message, vim.log.levels.WARN)
          end
          view.show_result(task.tool .. " " .. task.label, result.result)
        end)
      end
    end,
    x = function()
      local task = task_here()
      if task then
        host.request("tasks/cancel", { label = task.label })
      end
    end,
    d = function()
      local task = task_here()
      if task then
        host.request("tasks/forget", { label = task.label }, function(problem)
          if not problem then
            host.tasks = vim.tbl_filter(function(one)
              return one.label ~= task.label
            end, host.tasks)
            view.set(buffer, task_lines())
          end
        end)
      end
    end,
  })
end

host.on(function(what)
  if what == "tasks" then
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(buffer) == "portico://tasks" then
        view.set(buffer, task_lines())
      end
    end
  end
end)

return M
