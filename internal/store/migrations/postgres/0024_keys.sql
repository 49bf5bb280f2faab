COMMENT ON TABLE keys IS 'values by their names, such as the tokens';
