-- The plugin's own settings. Everything works without calling setup().
local M = { version = "0.1.0" }

M.settings = {
  -- The program and its arguments; a list, so that no shell is involved.
  command = { "portico", "host" },
  -- Where the host is started; the working directory unless given.
  folder = nil,
  -- What servers and models may ask of this editor, each under approval.
  offers = { "files", "diagnostics", "selection" },
  -- Columns of the side bar.
  width = 42,
  -- Whether approvals and questions open by themselves. `:Portico questions` shows them otherwise.
  ask = true,
}

function M.setup(settings)
  M.settings = vim.tbl_extend("force", M.settings, settings or {})
end

return M
