export default { input: 'openapi.json', output: { path: 'hey-api', module: { extension: '.js' } } }
