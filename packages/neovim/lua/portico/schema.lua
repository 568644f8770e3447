-- Fields out of a JSON Schema of an object, and values out of what a person typed for them.
local text = require("portico.text")

local M = {}

-- Lists and objects that came as JSON have no order in Lua; required fields come first, each sorted by name.
function M.fields(schema)
  local required = {}
  for _, name in ipairs(type(schema.required) == "table" and schema.required or {}) do
    required[name] = true
  end
  local fields = {}
  for name, property in pairs(type(schema.properties) == "table" and schema.properties or {}) do
    if type(property) == "table" then
      table.insert(fields, { name = name, schema = property, required = required[name] or false })
    end
  end
  table.sort(fields, function(a, b)
    if a.required ~= b.required then
      return a.required
    end
    return a.name < b.name
  end)
  for _, field in ipairs(fields) do
    field.value = field.schema.default
  end
  return fields
end

function M.choices(schema)
  if schema.type == "boolean" then
    return { true, false }
  end
  local values = {}
  for _, one in ipairs(schema.oneOf or {}) do
    table.insert(values, one.const)
  end
  return #values > 0 and values or schema.enum
end

function M.hint(field)
  local schema = field.schema
  local parts = { type(schema.type) == "string" and schema.type or "any", field.required and "required" or "optional" }
  if schema.minimum or schema.maximum then
    table.insert(parts, tostring(schema.minimum or "…") .. " to " .. tostring(schema.maximum or "…"))
  end
  return table.concat(parts, ", ")
end

function M.shown(value)
  if value == nil then
    return ""
  end
  return text.line(type(value) == "string" and value or vim.json.encode(value), 300)
end

local function number(schema, words)
  local value = tonumber(words)
  if not value then
    return nil, "This must be a number."
  end
  if schema.type == "integer" and value ~= math.floor(value) then
    return nil, "This must be a whole number."
  end
  if (schema.minimum and value < schema.minimum) or (schema.maximum and value > schema.maximum) then
    return nil, "This is out of bounds."
  end
  return value
end

-- The value, or nothing and what is wrong with the words. Empty words are no value.
function M.read(schema, words)
  if words == "" then
    return nil
  end
  if schema.type == "number" or schema.type == "integer" then
    return number(schema, words)
  end
  if schema.type == "string" then
    local length = vim.fn.strchars(words)
    if length < (schema.minLength or 0) or length > (schema.maxLength or math.huge) then
      return nil, "This is too short or too long."
    end
    return words
  end
  local ok, value = pcall(vim.json.decode, words)
  if ok then
    return value
  end
  if schema.type == "array" and not words:match("^%s*%[") then
    return vim.tbl_map(vim.trim, vim.split(words, ",", { plain = true }))
  end
  return nil, "This must be JSON."
end

-- All values by name, or nothing and what is missing.
function M.values(fields)
  local values = vim.empty_dict()
  for _, field in ipairs(fields) do
    if field.value ~= nil then
      values[field.name] = field.value
    elseif field.required then
      return nil, field.name .. " is required."
    end
  end
  return values
end

return M
