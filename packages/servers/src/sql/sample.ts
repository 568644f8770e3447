/** The database that the sql server shows when it is given none: a small shop, the same on every machine. */

export const SAMPLE_SCRIPT = `
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL REFERENCES categories (id),
  price_cents INTEGER NOT NULL CHECK (price_cents > 0),
  stock INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, since TEXT NOT NULL);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  placed_on TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'sent', 'returned'))
);
CREATE TABLE order_items (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL REFERENCES products (id),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (order_id, product_id)
);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX products_by_category ON products (category_id);
INSERT INTO categories (name) VALUES ('Tea'), ('Coffee'), ('Cups'), ('Kettles'), ('Biscuits');
INSERT INTO products (name, category_id, price_cents, stock)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
  SELECT
    CASE i % 6 WHEN 0 THEN 'Green' WHEN 1 THEN 'Smoky' WHEN 2 THEN 'Amber' WHEN 3 THEN 'Quiet' WHEN 4 THEN 'Golden' ELSE 'Winter' END
      || ' ' || (SELECT name FROM categories WHERE id = 1 + (i - 1) % 5),
    1 + (i - 1) % 5, 250 + (i * 137) % 2900, (i * 53) % 90
  FROM n;
INSERT INTO customers (name, city, since)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
  SELECT 'Customer ' || i,
    CASE i % 5 WHEN 0 THEN 'Lisbon' WHEN 1 THEN 'Porto' WHEN 2 THEN 'Braga' WHEN 3 THEN 'Faro' ELSE 'Évora' END,
    date('2023-01-01', '+' || (i * 11) || ' days')
  FROM n;
INSERT INTO orders (customer_id, placed_on, status)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240)
  SELECT 1 + (i * 7) % 40, date('2025-01-01', '+' || i || ' days'),
    CASE WHEN i > 225 THEN 'open' WHEN i % 17 = 0 THEN 'returned' ELSE 'sent' END
  FROM n;
INSERT INTO order_items (order_id, product_id, quantity)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 480)
  SELECT 1 + (i - 1) / 2, 1 + (i * 11 + i / 2) % 30, 1 + i % 4 FROM n;
CREATE VIEW order_totals AS
  SELECT o.id AS order_id, o.customer_id, o.placed_on, sum(i.quantity * p.price_cents) AS total_cents
  FROM orders o JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id
  GROUP BY o.id;
`
