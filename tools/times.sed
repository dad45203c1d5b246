# Takes the numbers of wall time out of what onchip prints (tools/blocks.sh).
s/^simulated in [0-9.]+ s$/simulated in … s/
s/(already); [0-9.]+ s$/\1; … s/
s/(failed|simulated), in [0-9.]+ s$/\1, in … s/
